import {type ChildProcess, spawn} from "node:child_process"

/** The processes that this run has started and that have not ended. */
const running = new Map<ChildProcess, NodeJS.Signals>()

process.on("exit", () => {
  for (const [child, signal] of running) child.kill(signal)
})

export interface Running {
  readonly pid: number
  /** What it has printed so far, both streams. */
  output(): string
  /** Its exit code; null where a signal ended it. */
  readonly ended: Promise<number | null>
  /** SIGTERM, and SIGKILL to one that does not end within twelve seconds. */
  stop(): Promise<void>
}

export interface StartOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** How it is ended with this run: SIGTERM for one that ends what it has started itself. */
  readonly endsBy?: "SIGTERM" | "SIGKILL"
}

/** Starts a process with nothing of this one's environment but PATH and HOME. It does not outlive this run. */
export const startProcess = ([command = "", ...args]: readonly string[], options: StartOptions = {}): Running => {
  const {PATH = "", HOME = "/"} = process.env
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: {PATH, HOME, ...options.env},
    ...(options.cwd === undefined ? {} : {cwd: options.cwd}),
  })
  running.set(child, options.endsBy ?? "SIGKILL")
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", chunk => {
      output += chunk
    })
  }
  const ended = new Promise<number | null>((done, fail) => {
    child.on("error", fail)
    child.on("close", code => {
      running.delete(child)
      done(code)
    })
  })
  return {
    pid: child.pid ?? 0,
    output: () => output,
    ended,
    stop: async () => {
      child.kill("SIGTERM")
      const cut = setTimeout(() => child.kill("SIGKILL"), 12_000)
      await ended
      clearTimeout(cut)
    },
  }
}

/** Runs a process to its end; resolves to what it printed. Throws where its exit code is not 0. */
export const runProcess = async (command: readonly string[], options: StartOptions = {}): Promise<string> => {
  const child = startProcess(command, options)
  const code = await child.ended
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${child.output()}`)
  return child.output()
}

/** Runs a script that prints one JSON value as its last line. */
export const runScript = async <T>(command: readonly string[], options: StartOptions = {}): Promise<T> =>
  JSON.parse((await runProcess(command, options)).trim().split("\n").at(-1) ?? "") as T
