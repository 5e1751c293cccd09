import {expect} from "vitest"
import {runProcess} from "./process.ts"
import type {Project} from "./project.ts"
import {onBun, type TestRuntime} from "./runtimes.ts"

export const svc = (
  runtime: TestRuntime,
  project: Project,
  args: readonly string[],
  options: {env?: Record<string, string>; input?: string} = {},
) => runProcess([...runtime.command, ...args], {cwd: project.folder, ...options})

const escapeCharacter = String.fromCharCode(27)

/** Runs `svc` with these words. Output into a pipe must have no colours. */
export const runCommand = async (project: Project, line: string | readonly string[], runtime: TestRuntime = onBun) => {
  const ended = await svc(runtime, project, typeof line === "string" ? line.split(" ") : line)
  expect(ended.stdout + ended.stderr).not.toContain(escapeCharacter)
  return ended
}

export const printed = async (project: Project, line: string | readonly string[], runtime?: TestRuntime) => {
  const {code, stdout, stderr} = await runCommand(project, line, runtime)
  expect({line, code, stderr}).toEqual({line, code: 0, stderr: ""})
  return stdout
}

export const printedJson = async <T>(project: Project, line: string, runtime?: TestRuntime) =>
  JSON.parse(await printed(project, `${line} --json`, runtime)) as T
