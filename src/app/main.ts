import './look/theme.css';
import './shell/page.ts';
import { keepForOffline } from './shell/offline.ts';

keepForOffline();
