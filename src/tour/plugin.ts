import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { showErrorMessage } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { ILauncher } from '@jupyterlab/launcher';
import { IMainMenu } from '@jupyterlab/mainmenu';
import type { Contents } from '@jupyterlab/services';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { CommandIDs } from '../commands/ids';
import { logoIcon } from '../style/icons';
import { IJaxHints } from '../tokens';

const FILE_NAME = 'jax-hints-tour';

/** The first free name for a copy of the tour in a folder. */
export async function freePath(
  contents: Pick<Contents.IManager, 'get'>,
  folder: string
): Promise<string> {
  const listing = await contents.get(folder, { content: true });
  const taken = new Set(
    (listing.content as Contents.IModel[]).map(({ name }) => name)
  );
  let name = `${FILE_NAME}.ipynb`;
  for (let number = 1; taken.has(name); number++) {
    name = `${FILE_NAME}-${number}.ipynb`;
  }
  return PathExt.join(folder, name);
}

/** Opens a copy of the tour notebook, from the launcher, the Help menu and the palette. */
export const tourPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-jaxhints:tour',
  description: 'Opens the tour of JAX hints.',
  autoStart: true,
  requires: [IJaxHints],
  optional: [ITranslator, IDefaultFileBrowser, ILauncher, IMainMenu],
  activate: (
    app: JupyterFrontEnd,
    hints: IJaxHints,
    translator: ITranslator | null,
    browser: IDefaultFileBrowser | null,
    launcher: ILauncher | null,
    menu: IMainMenu | null
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyterlab_jaxhints');
    const { contents } = app.serviceManager;
    app.commands.addCommand(CommandIDs.openTour, {
      label: args =>
        args.isLauncher
          ? trans.__('JAX Hints Tour')
          : trans.__('Tour of JAX Hints'),
      caption: trans.__('Open a notebook that shows what JAX hints find'),
      icon: args => (args.isMenu || args.isPalette ? undefined : logoIcon),
      describedBy: {
        args: {
          type: 'object',
          properties: {
            cwd: {
              type: 'string',
              description: trans.__('The folder that the copy goes to')
            }
          }
        }
      },
      execute: async args => {
        const cwd = (args.cwd as string) ?? browser?.model.path ?? '';
        try {
          const content = await hints.client.tour();
          const path = await freePath(contents, cwd);
          await contents.save(path, {
            type: 'notebook',
            format: 'json',
            content
          });
          return await app.commands.execute('docmanager:open', { path });
        } catch (error) {
          await showErrorMessage(
            trans.__('The tour can not be opened'),
            (error as Error).message
          );
        }
      }
    });
    launcher?.add({
      command: CommandIDs.openTour,
      category: trans.__('Other'),
      rank: 90,
      args: { isLauncher: true }
    });
    menu?.helpMenu.addGroup([
      { command: CommandIDs.openTour, args: { isMenu: true } }
    ]);
  }
};
