import jupyterPlugin from '@jupyter/eslint-plugin';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      '**/node_modules',
      '**/test-results',
      '**/playwright-report',
      'src/protocol.ts'
    ]
  },
  {
    files: ['src/**/*.{ts,tsx}', 'ui-tests/**/*.ts'],
    extends: [
      ...tseslint.configs.recommended,
      ...[jupyterPlugin.configs?.recommended ?? []].flat(),
      prettier
    ],
    rules: {
      '@typescript-eslint/naming-convention': [
        'error',
        {
          selector: 'interface',
          format: ['PascalCase'],
          custom: { regex: '^I[A-Z]', match: true }
        }
      ],
      '@typescript-eslint/no-namespace': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_' }
      ],
      curly: ['error', 'all'],
      eqeqeq: 'error',
      'prefer-arrow-callback': 'error'
    }
  }
);
