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
  ...jupyterPlugin.configs.recommended,
  {
    files: ['src/**/*.{ts,tsx}', 'ui-tests/**/*.ts'],
    extends: [...tseslint.configs.recommended, prettier],
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
      // The whole extension is smaller than what a second request for a part of it costs.
      'jupyter/prefer-lazy-imports': 'off',
      'prefer-arrow-callback': 'error'
    }
  },
  {
    // Tests reach into models that have no public type.
    files: ['src/**/__tests__/**', 'ui-tests/**/*.ts'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'off',
      'jupyter/no-untranslated-string': 'off'
    }
  },
  {
    // The severities are words of the protocol, which the settings file of a user holds as they are.
    files: ['**/schema/*.json'],
    rules: { 'jupyter/no-schema-enum': 'off' }
  }
);
