import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { MainAreaWidget } from '@jupyterlab/apputils';
import {
  type IRenderMime,
  IRenderMimeRegistry,
  MimeModel
} from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { PanelLayout, Widget } from '@lumino/widgets';

import type { HintsClient } from '../client';
import { CommandIDs } from '../commands/ids';
import { logoIcon } from '../style/icons';
import { IJaxHints } from '../tokens';

const MARKDOWN = 'text/markdown';

/** A rule's page, rendered by JupyterLab. One page is open at a time; the next rule takes its place. */
class RulePageWidget extends Widget {
  constructor(
    private readonly _client: HintsClient,
    private readonly _rendermime: IRenderMimeRegistry
  ) {
    super();
    this.addClass('jp-JaxHints-page');
    this.layout = new PanelLayout();
    this.node.tabIndex = -1;
    this.title.icon = logoIcon;
    this.title.closable = true;
  }

  /** Fetches and shows the page of a rule. */
  async show_(name: string): Promise<void> {
    let markdown: string;
    try {
      const page = await this._client.rulePage(name);
      markdown = `# ${page.title}\n\n${page.markdown}`;
      this.title.label = page.name;
      this.title.caption = page.title;
    } catch (error) {
      markdown = (error as Error).message;
      this.title.label = name;
    }
    const renderer = this._rendermime.createRenderer(MARKDOWN);
    await renderer.renderModel(
      new MimeModel({ data: { [MARKDOWN]: markdown } })
    );
    this._set(renderer);
  }

  private _set(renderer: IRenderMime.IRenderer): void {
    const layout = this.layout as PanelLayout;
    layout.widgets.slice().forEach(old => old.dispose());
    layout.addWidget(renderer);
    this.node.scrollTop = 0;
  }
}

/** Opens the page of a rule beside the notebook. */
export const pagePlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-jaxhints:page',
  description: 'Shows the pages of the rules.',
  autoStart: true,
  requires: [IJaxHints, IRenderMimeRegistry],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    hints: IJaxHints,
    rendermime: IRenderMimeRegistry,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyterlab_jaxhints');
    let widget: MainAreaWidget<RulePageWidget> | null = null;
    app.commands.addCommand(CommandIDs.openRule, {
      label: args =>
        args.name
          ? trans.__('Open the Page of %1', args.name as string)
          : trans.__('Open a Rule Page'),
      describedBy: {
        args: {
          type: 'object',
          properties: {
            name: {
              type: 'string',
              description: trans.__('The name of the rule')
            }
          },
          required: ['name']
        }
      },
      execute: async args => {
        if (!widget || widget.isDisposed) {
          const content = new RulePageWidget(hints.client, rendermime);
          widget = new MainAreaWidget({ content });
          widget.id = 'jaxhints-rule-page';
          widget.toolbar.hide();
        }
        await widget.content.show_(String(args.name ?? ''));
        if (!widget.isAttached) {
          app.shell.add(widget, 'main', { mode: 'split-right' });
        }
        app.shell.activateById(widget.id);
      }
    });
  }
};
