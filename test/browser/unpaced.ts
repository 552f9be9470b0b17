/** Runs go as fast as they can, and not at the pace that visitors get. Frames of Python have no storage. */
export const UNPACED = `try { localStorage.setItem('turnwise-pace', 'null'); } catch {}`;
