import './theme.css';
import './turnwiseApp.ts';
