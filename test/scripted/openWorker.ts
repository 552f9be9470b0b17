// Build entry of the scripted worker: Vite builds a worker for browsers if a script opens it in this form.
new Worker(new URL('./scriptedWorker.ts', import.meta.url), { type: 'module' });
