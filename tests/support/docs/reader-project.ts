import {readFileSync, writeFileSync} from "node:fs"
import {onTestFinished} from "vitest"
import {clientAt, type HostClient} from "../host/client.ts"
import {runCommand} from "../host/command-line.ts"
import {type GitProject, makeGitProject} from "../host/git-project.ts"
import type {Project, ProjectOptions} from "../host/project.ts"
import {onBun, root, type TestRuntime} from "../host/runtimes.ts"
import {makeReader, type Reader, type ReaderOptions, urlOf} from "./documented-commands.ts"

export const readersToken = "a-token-of-thirty-two-characters"

export const readersConfig = 'http: {port: 0, token: "${HTTP_TOKEN}"}\nplugins: {greeter: {}, sandbox: {}}\n'

/** A project as a reader of the pages has it: in git, with a token and the starter project's plugin. */
export const makeReadersProject = ({
  config = readersConfig,
  plugins = {},
  files = {},
}: ProjectOptions = {}): GitProject => {
  const greeter = readFileSync(`${root}cli/init/template/plugins/greeter.ts`, "utf8")
  const project = makeGitProject({config, plugins: {greeter, ...plugins}, files: {"bun.lock": "locked", ...files}})
  writeFileSync(project.path(".env"), `HTTP_TOKEN=${readersToken}\n`, {mode: 0o600})
  return project
}

/** A reader whose shell has the token, as the pages assume; the pages' addresses mean the project's own Host. */
export const readerOf = (
  project: Project,
  own: (line: string) => Readonly<Record<string, string>> = () => ({}),
  options: ReaderOptions = {},
  runtime: TestRuntime = onBun,
): Reader => {
  if (options.isDaemon) onTestFinished(async () => void (await runCommand(project, "runtime stop")))
  return makeReader(
    project,
    runtime,
    line => ({
      "SVC_HTTP_TOKEN=...": `SVC_HTTP_TOKEN=${readersToken}`,
      "https://bot.example.org": urlOf(project),
      "http://127.0.0.1:8068": urlOf(project),
      ...own(line),
    }),
    {...options, env: {HTTP_TOKEN: readersToken, SVC_HTTP_TOKEN: readersToken, ...options.env}},
  )
}

export const clientOf = (project: Project): HostClient => clientAt(urlOf(project), readersToken)
