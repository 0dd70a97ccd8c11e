import { expect, type IJupyterLabPageFixture, test } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';

/** Opens the page of a rule and waits until it is the one that is shown. */
async function openRule(
  page: IJupyterLabPageFixture,
  name: string,
  title: string
): Promise<Locator> {
  await page.evaluate(
    rule =>
      (window as any).jupyterapp.commands.execute('jaxhints:open-rule', {
        name: rule
      }),
    name
  );
  const text = page.locator('.jp-JaxHints-page .jp-RenderedMarkdown');
  await expect(text.locator('h1').first()).toContainText(title);
  return text;
}

/** The rules that the server knows. */
async function rulesOf(
  page: IJupyterLabPageFixture
): Promise<{ name: string; title: string; section: string }[]> {
  const response = await page.request.get('jaxhints/api/rules');
  return (await response.json()).rules;
}

test('every rule has a page that reads well', async ({ page }) => {
  test.setTimeout(300_000);
  const rules = await rulesOf(page);
  expect(rules.length).toBeGreaterThan(60);
  for (const { name, title } of rules) {
    const text = await openRule(page, name, title.replace(/`/g, ''));
    await expect.soft(text, name).toContainText('What JAX does');
    await expect.soft(text.locator('pre').first(), name).toBeVisible();
    // Fences, marks and Markdown that was not understood would stand there as they are written.
    const prose = await text.evaluate(node => {
      const copy = node.cloneNode(true) as HTMLElement;
      copy.querySelectorAll('code').forEach(code => code.remove());
      return copy.textContent;
    });
    expect.soft(prose, name).not.toMatch(/`|[«»]|\*\*/);
    const wide = await text.evaluate(
      node => node.scrollWidth - node.clientWidth
    );
    expect.soft(wide, `${name} is too wide`).toBeLessThanOrEqual(0);
  }
});

for (const theme of ['light', 'dark'] as const) {
  test(`a page of each section in the ${theme} theme`, async ({
    page
  }, testInfo) => {
    test.setTimeout(180_000);
    if (theme === 'dark') {
      await page.theme.setDarkTheme();
    }
    await page.sidebar.close('left');
    const rules = await rulesOf(page);
    const sections = new Map(rules.map(rule => [rule.section, rule]));
    for (const { name, title } of sections.values()) {
      const text = await openRule(page, name, title.replace(/`/g, ''));
      const [ink, paper] = await text.evaluate(node => [
        getComputedStyle(node).color,
        getComputedStyle(node.parentElement!).backgroundColor
      ]);
      const [light, dark] =
        theme === 'light'
          ? [brightness(paper), brightness(ink)]
          : [brightness(ink), brightness(paper)];
      expect.soft(light - dark, name).toBeGreaterThan(120);
      await page.screenshot({ path: testInfo.outputPath(`${name}.png`) });
      await text.locator('pre').first().scrollIntoViewIfNeeded();
      await page.screenshot({ path: testInfo.outputPath(`${name}-code.png`) });
    }
  });
}

function brightness(color: string): number {
  const [red, green, blue] = color.match(/[\d.]+/g)!.map(Number);
  return (red + green + blue) / 3;
}
