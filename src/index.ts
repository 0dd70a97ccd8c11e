import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-jaxhints:plugin',
  autoStart: true,
  activate: () => undefined
};

export default plugin;
