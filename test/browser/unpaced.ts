/** Script that sets the maximum speed of runs. It ignores errors, because Python frames have no storage. */
export const UNPACED = `try { localStorage.setItem('turnwise-pace', 'null'); } catch {}`;
