import {chmodSync, existsSync, readFileSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect} from "vitest"
import {cleanEnvironment, runProcess, startProcess, until} from "../host/process.ts"
import {makeFolder, type Project} from "../host/project.ts"
import {onBun, pathWith, type TestRuntime} from "../host/runtimes.ts"
import {readDocuments} from "./documents.ts"

/** The command that stays in the foreground. */
const start = "svc runtime start --mode production --no-watch"

export interface ReaderOptions {
  /** The Host is started with `--daemon`, which restarts it. */
  readonly isDaemon?: boolean
  /** Called after each successful line. */
  readonly after?: (line: string) => Promise<void>
}

export interface Reader {
  /**
   * Runs the commands below a heading of a page as written; without a heading, those of the first part. Each line must
   * succeed.
   */
  run(page: string, heading?: string): Promise<void>
  /** Starts the Host as the pages do. */
  start(): Promise<void>
}

/** The shell lines below a heading. */
export const documentedCommands = (page: string, heading?: string): readonly string[] => {
  const text = readDocuments().find(({path}) => path === page)?.text ?? ""
  const parts = text.split(/^## /m)
  const part = heading === undefined ? parts[0] : parts.find(each => each.startsWith(`${heading}\n`))
  return [...(part ?? "").matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, body = ""]) =>
    body.split("\n").filter(line => line !== ""),
  )
}

/** A reader who types the documentation's commands in a project, with `svc` on the PATH. */
export const makeReader = (
  project: Project,
  runtime: TestRuntime,
  /** The documentation's placeholders and their values here. */
  own: () => Readonly<Record<string, string>>,
  {isDaemon = false, after = async () => {}}: ReaderOptions = {},
): Reader => {
  const bin = makeFolder()
  writeFileSync(join(bin, "svc"), `#!/bin/sh\nexec ${runtime.command.join(" ")} "$@"\n`)
  chmodSync(join(bin, "svc"), 0o755)
  const env = cleanEnvironment({PATH: `${bin}:${pathWith(runtime)}:${pathWith(onBun)}`})
  const options = {cwd: project.folder, env}
  const begin = async () => {
    if (isDaemon) return expectSuccess(`${start} --daemon`, options)
    const running = startProcess(["sh", "-c", `exec ${start}`], options)
    await until("the Host to be ready", async () => {
      if (running.child.exitCode !== null) throw new Error(running.output())
      const url = urlOf(project)
      return url !== "" && (await fetch(`${url}/pub/ready`).catch(() => undefined))?.status === 200
    })
  }
  return {
    start: begin,
    run: async (page, heading) => {
      const lines = documentedCommands(page, heading)
      expect(lines.length).toBeGreaterThan(0)
      for (const line of lines) {
        const before = runtimeIdOf(project)
        if (line === start) await begin()
        else await expectSuccess(replaced(line, own()), options)
        if (line.startsWith("svc runtime restart")) await until("another Host", () => isOther(project, before))
        await after(line)
      }
    },
  }
}

const runtimeIdOf = (project: Project): string => hostFileOf(project).runtimeId ?? ""

/** A person types the next line later than a Host restarts. */
const isOther = async (project: Project, before: string): Promise<boolean> => {
  const {url = "", runtimeId = before} = hostFileOf(project)
  return runtimeId !== before && (await fetch(`${url}/pub/ready`).catch(() => undefined))?.status === 200
}

/** The address of the running Host; empty if none runs. */
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

const expectSuccess = async (line: string, options: {cwd: string; env: Record<string, string>}) => {
  const {code, stdout, stderr} = await runProcess(["sh", "-c", line], options)
  expect({line, code, output: code === 0 ? "" : stdout + stderr}).toEqual({line, code: 0, output: ""})
  if (process.env.SVC_TEST_SHOW === "1") process.stderr.write(`$ ${line}\n${stdout}${stderr}\n`)
}
