import {chmodSync, existsSync, readFileSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect} from "vitest"
import {cleanEnvironment, type Running, runProcess, startProcess, until} from "../host/process.ts"
import {makeFolder, type Project} from "../host/project.ts"
import {onBun, pathWith, type TestRuntime} from "../host/runtimes.ts"
import {documentedParts, isNotRun} from "./documented-parts.ts"

/** The usual foreground start of the pages. */
const start = "svc runtime start --mode production --no-watch"

export interface ReaderOptions {
  /** The reader starts the Host with `--daemon`, which restarts it. */
  readonly isDaemon?: boolean
  /** The text that the reader types or pipes into `svc chat` and into a question. */
  readonly input?: string
  /** More variables of the reader's shell. */
  readonly env?: Readonly<Record<string, string>>
  readonly after?: (line: string) => Promise<void>
}

export interface Reader {
  /** Runs each command under a heading of a page, or those above the first heading. Each one must succeed. */
  run(page: string, heading?: string): Promise<void>
  start(): Promise<void>
}

/** The commands of the shell under a `##` heading of a page, or above the first one. */
export const documentedCommands = (page: string, heading = ""): readonly string[] =>
  documentedParts.find(part => part.page === page && part.heading === heading)?.commands ?? []

/** Commands that run until the reader presses Ctrl-C. */
const isEndless = (line: string) => /--follow|events tail|curl -N|^prometheus /.test(line)

/** A person who types the commands of the documentation, in a project, with `svc` on the PATH. */
export const makeReader = (
  project: Project,
  runtime: TestRuntime,
  /** Maps the examples of a page, such as an id, to the real values for this line. */
  own: (line: string) => Readonly<Record<string, string>>,
  {isDaemon = false, input, env: more = {}, after = async () => {}}: ReaderOptions = {},
): Reader => {
  const bin = makeFolder()
  writeFileSync(join(bin, "svc"), `#!/bin/sh\nexec ${runtime.command.join(" ")} "$@"\n`)
  chmodSync(join(bin, "svc"), 0o755)
  const env = cleanEnvironment({PATH: `${bin}:${pathWith(runtime)}:${pathWith(onBun)}`, ...more})
  const options = {cwd: project.folder, env, ...(input === undefined ? {} : {input})}
  let running: Running | undefined
  const begin = async (line = start) => {
    if (isDaemon) return expectSuccess(`${line} --daemon`, options)
    running?.child.kill("SIGTERM")
    await running?.finished
    const started = startProcess(["sh", "-c", `exec ${line}`], options)
    running = started
    await until("the Host to be ready", async () => {
      if (started.child.exitCode !== null) throw new Error(started.output())
      const url = urlOf(project)
      return url !== "" && (await fetch(`${url}/pub/ready`).catch(() => undefined))?.status === 200
    })
  }
  return {
    start: begin,
    run: async (page, heading = "") => {
      const lines = documentedCommands(page, heading).filter(line => !isNotRun(page, line))
      expect({page, heading, lines: lines.length}).not.toEqual({page, heading, lines: 0})
      const endless: Endless[] = []
      for (const line of lines) {
        const before = hostFileOf(project).runtimeId ?? ""
        const typed = replaced(line, own(line))
        if (isAssignment(line)) Object.assign(env, await assigned(typed, options))
        else if (isForegroundStart(line)) await begin(typed)
        else if (isEndless(line)) endless.push(await beginEndless(typed, options))
        else await expectSuccess(typed, options)
        if (line.startsWith("svc runtime restart")) await until("another Host", () => isOther(project, before))
        await after(line)
      }
      for (const each of endless) await expectToLast(each)
    },
  }
}

/** A line that only sets variables of the shell, for the lines below it. */
const isAssignment = (line: string) => /^\w+=(?:["'].*["']|\$\(.*\))$/.test(line)

/** The variables that the shell has after an assignment. */
const assigned = async (line: string, options: {cwd: string; env: Record<string, string>}) => {
  const {stdout} = await runProcess(["sh", "-c", `set -a\n${line}\nenv -0`], options)
  return Object.fromEntries(
    stdout
      .split("\0")
      .filter(entry => entry !== "")
      .map(entry => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
  )
}

const isForegroundStart = (line: string) => /^(bun run )?svc runtime start\b(?!.*--(?:once|daemon))/.test(line)

interface Endless {
  readonly line: string
  readonly running: Running
}

/** Starts a command in a second terminal, and waits until it has printed something or a second has passed. */
const beginEndless = async (line: string, options: {cwd: string; env: Record<string, string>}): Promise<Endless> => {
  const running = startProcess(["sh", "-c", `exec ${line}`], options)
  const began = performance.now()
  await until("it to print", () => running.output() !== "" || performance.now() - began > 1000)
  return {line, running}
}

/** The command still runs; Ctrl-C ends it. */
const expectToLast = async ({line, running}: Endless) => {
  const code = running.child.exitCode
  running.child.kill("SIGINT")
  await running.finished
  expect({line, code, output: code === null ? "" : running.output()}).toEqual({line, code: null, output: ""})
}

/** A person types the next line later than a Host restarts. */
const isOther = async (project: Project, before: string): Promise<boolean> => {
  const {url = "", runtimeId = before} = hostFileOf(project)
  return runtimeId !== before && (await fetch(`${url}/pub/ready`).catch(() => undefined))?.status === 200
}

/** The address of the Host that runs; empty for none. */
export const urlOf = (project: Project): string => hostFileOf(project).url ?? ""

const hostFileOf = (project: Project): {readonly url?: string; readonly runtimeId?: string} => {
  const file = project.path(".svc/host.json")
  try {
    return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}
  } catch {
    return {}
  }
}

const replaced = (line: string, own: Readonly<Record<string, string>>): string =>
  Object.entries(own).reduce((text, [from, to]) => text.replaceAll(from, to), line)

const expectSuccess = async (line: string, options: {cwd: string; env: Record<string, string>; input?: string}) => {
  const {code, stdout, stderr} = await runProcess(["sh", "-c", line], options)
  expect({line, code, output: code === 0 ? "" : stdout + stderr}).toEqual({line, code: 0, output: ""})
  if (process.env.SVC_TEST_SHOW === "1") process.stderr.write(`$ ${line}\n${stdout}${stderr}\n`)
}
