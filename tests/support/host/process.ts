import {type ChildProcess, spawn} from "node:child_process"
import {whenFailed, whenOver} from "./shared.ts"

export interface Finished {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  readonly pid: number
  /** The output so far: standard output, then standard error. */
  output(): string
  /** The standard output so far. To read it line by line, use `linesIn`: the last line may be incomplete. */
  stdout(): string
  readonly finished: Promise<Finished>
}

export interface SpawnOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

const {PATH = "", HOME = "/", NODE_COMPILE_CACHE} = process.env

/** The environment of a test process: only the machine's PATH, and the folder of Node's compile cache. */
export const cleanEnvironment = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  PATH,
  HOME,
  ...(NODE_COMPILE_CACHE === undefined ? {} : {NODE_COMPILE_CACHE}),
  ...more,
})

/** How much a failed test prints: the number of its newest processes, and the characters of each. */
const told = {processes: 3, characters: 4000}
let started = 0

/** Starts a process. It is killed at the latest when the test ends, or the last test that shares it. */
export const startProcess = ([command = "", ...args]: readonly string[], options: SpawnOptions = {}): Running => {
  const child = spawn(command, args, {
    env: cleanEnvironment(options.env),
    stdio: ["pipe", "pipe", "pipe"],
    ...(options.cwd === undefined ? {} : {cwd: options.cwd}),
  })
  let stdout = ""
  let stderr = ""
  // The decoder joins a character whose bytes arrive in two chunks.
  child.stdout.setEncoding("utf8").on("data", chunk => {
    stdout += chunk
  })
  child.stderr.setEncoding("utf8").on("data", chunk => {
    stderr += chunk
  })
  child.stdin.on("error", () => {})
  if (options.input !== undefined) child.stdin.write(options.input)
  child.stdin.end()
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code, signal) => resolve({code, signal, stdout, stderr}))
  })
  whenOver(async () => {
    child.kill("SIGKILL")
    await finished.catch(() => {})
  })
  const nth = ++started
  whenFailed(() =>
    nth > started - told.processes
      ? `--- ${[command, ...args].join(" ")}\n${(stdout + stderr).slice(-told.characters)}`
      : undefined,
  )
  return {child, pid: child.pid ?? 0, output: () => stdout + stderr, stdout: () => stdout, finished}
}

/** The complete lines of a process's output so far, without the line that is still being written. */
export const linesIn = (output: string): readonly string[] => output.split("\n").slice(0, -1)

/** The lines of a process's output so far that are JSON objects. */
export const jsonLinesIn = (output: string) =>
  linesIn(output)
    .filter(line => /^\{.*\}$/.test(line))
    .map(line => JSON.parse(line))

export const runProcess = (command: readonly string[], options: SpawnOptions = {}): Promise<Finished> =>
  startProcess(command, options).finished

/** Milliseconds until the next poll. They grow with the time waited, to leave the tested process its processor. */
const pause = (waited: number): number => Math.min(250, Math.max(10, waited / 10))

/** Waits until `holds` returns a value. Rejects with `what` after `patience` milliseconds. */
export const until = async <T>(
  what: string,
  holds: () => T | undefined | false | Promise<T | undefined | false>,
  patience = 60_000,
): Promise<T> => {
  const began = performance.now()
  for (;;) {
    const value = await holds()
    if (value !== undefined && value !== false) return value
    const waited = performance.now() - began
    if (waited > patience) throw new Error(`not within ${patience} ms: ${what}`)
    await new Promise(resolve => setTimeout(resolve, pause(waited)))
  }
}

/** Whether a server answers this address with 2xx. It is no if nothing listens there. */
export const isOk = (url: string): Promise<boolean> =>
  fetch(url)
    .then(({ok}) => ok)
    .catch(() => false)

/** Waits until a process has printed this: output may arrive after the response to a request. */
export const untilPrinted = (running: Running, text: string | RegExp): Promise<unknown> =>
  until(`it to print ${text}`, () =>
    typeof text === "string" ? running.output().includes(text) : text.test(running.output()),
  ).catch(error => {
    throw new Error(`${error.message}\n${running.output().slice(-4000)}`)
  })
