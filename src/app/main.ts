import './look/theme.css';
import './shell/turnwiseApp.ts';
import { keepForOffline } from './shell/offline.ts';

keepForOffline();
