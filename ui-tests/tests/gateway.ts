import { type ChildProcess, execSync, spawn } from 'child_process';
import { randomUUID } from 'crypto';

const HOST = '127.0.0.1';
const START_LIMIT = 90_000;

/** A port that nobody listens at. */
export function freePort(): number {
  const find =
    'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])';
  return Number(execSync(`python -c '${find}'`));
}

/** A kernel gateway that asks for a token, and a JupyterLab that has its kernels there. */
export class LabWithGateway {
  constructor(port: number) {
    this._port = port;
  }

  async start(): Promise<void> {
    const gateway = freePort();
    const token = randomUUID();
    this._start('kernelgateway', [
      `--KernelGatewayApp.ip=${HOST}`,
      `--KernelGatewayApp.port=${gateway}`,
      `--KernelGatewayApp.auth_token=${token}`
    ]);
    await answers(`http://${HOST}:${gateway}/api?token=${token}`);
    this._start('lab', [
      '--config',
      'jupyter_server_test_config.py',
      `--gateway-url=http://${HOST}:${gateway}`,
      `--GatewayClient.auth_token=${token}`
    ]);
    await answers(`http://${HOST}:${this._port}/lab`);
  }

  /** The server first: it hangs without its gateway. */
  async stop(): Promise<void> {
    for (const process of this._processes.reverse()) {
      await ended(process);
    }
  }

  private _start(command: string, options: string[]): void {
    const env = { ...process.env, JAXHINTS_UI_PORT: String(this._port) };
    this._processes.push(
      spawn('jupyter', [command, ...options], { env, stdio: 'ignore' })
    );
  }

  private readonly _port: number;
  private readonly _processes: ChildProcess[] = [];
}

async function answers(url: string): Promise<void> {
  const end = Date.now() + START_LIMIT;
  for (;;) {
    const isThere = await fetch(url).then(
      ({ ok }) => ok,
      () => false
    );
    if (isThere) {
      return;
    }
    if (Date.now() > end) {
      throw new Error(`No answer from ${new URL(url).host}`);
    }
    await new Promise(resolve => setTimeout(resolve, 300));
  }
}

function ended(process: ChildProcess): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(() => process.kill('SIGKILL'), 10_000);
    process.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    process.kill('SIGTERM');
  });
}
