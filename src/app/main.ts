import './theme.css';
import './turnwiseApp.ts';
import { keepForOffline } from './offline.ts';

keepForOffline();
