import './look/theme.css';
import './shell/page.ts';
import { cacheForOffline } from './shell/offline.ts';

cacheForOffline();
