/** Stories in Debian's chromium against a server of their own; Playwright brings no browser. */
const { execSync } = require('child_process');
const baseConfig = require('@jupyterlab/galata/lib/playwright-config');

const port = process.env.JAXHINTS_UI_PORT ?? '8899';
const baseURL = process.env.TARGET_URL ?? `http://127.0.0.1:${port}`;
const executablePath =
  process.env.CHROMIUM_PATH ??
  execSync('command -v chromium || command -v chromium-browser || true')
    .toString()
    .trim();

module.exports = {
  ...baseConfig,
  testDir: './tests',
  workers: 1,
  fullyParallel: false,
  retries: process.env.CI ? 1 : 0,
  timeout: 90_000,
  expect: { ...baseConfig.expect, timeout: 15_000 },
  // The JSON report goes where PLAYWRIGHT_JSON_OUTPUT_NAME says, and is left out without it.
  reporter: [
    ['list'],
    ['html', { open: 'never' }],
    ...(process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ? [['json']] : [])
  ],
  use: {
    ...baseConfig.use,
    baseURL,
    actionTimeout: 15_000,
    viewport: { width: 1280, height: 800 },
    video: 'off',
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath,
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu']
    }
  },
  webServer: {
    command: 'jlpm start',
    url: `${baseURL}/lab`,
    timeout: 120_000,
    reuseExistingServer: !process.env.CI,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 5_000 }
  }
};
