import { nodePlace } from '../src/sandbox/host/node.ts';
import { standardMix } from './sandboxMix.ts';
import { Sandbox } from '../src/sandbox/sandbox.ts';
const s=new Sandbox(nodePlace(),{workers:1}); await s.ready();
const all=standardMix(26000);
await s.run(all.slice(0,2000));
while (s.statistics.spares === 0) await new Promise((resolve) => setTimeout(resolve, 50));
const rates: number[]=[]; const cpus: number[]=[];
for (let r=0;r<6;r++){const t=performance.now();const c=process.cpuUsage();await s.run(all.slice(2000+r*4000,6000+r*4000));const u=process.cpuUsage(c);rates.push(4000*1000/(performance.now()-t)); cpus.push(4000*1e6/(u.user+u.system));}
const med=(x:number[])=>[...x].sort((a,b)=>a-b)[3].toFixed(0);
console.log('worker /s', rates.map(x=>x.toFixed(0)).join(' '), 'median', med(rates), 'cpu', med(cpus));
process.exit();
