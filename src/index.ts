import { commandsPlugin } from './commands/plugin';
import { pagePlugin } from './page/plugin';
import { panelPlugin } from './panel/plugin';
import { hintsPlugin } from './services';
import { statusPlugin } from './status/plugin';
import { tourPlugin } from './tour/plugin';

export { IJaxHints } from './tokens';

export default [
  hintsPlugin,
  commandsPlugin,
  panelPlugin,
  pagePlugin,
  statusPlugin,
  tourPlugin
];
