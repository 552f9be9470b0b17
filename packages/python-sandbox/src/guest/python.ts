import { serve } from './serve.ts';

/** Entry point of the worker that runs Python, in the page and in Node. */
void serve();
