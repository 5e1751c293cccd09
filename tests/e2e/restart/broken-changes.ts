import {rmSync} from "node:fs"
import type {Project} from "../../support/host/project.ts"
import {root, type TestRuntime} from "../../support/host/runtimes.ts"
import {pluginWith, replying} from "../../support/plugins/plugin-sources.ts"

/** A change to a project with which the next start would fail. */
export interface BrokenChange {
  readonly name: string
  /** The command that asks for the restart. */
  readonly by: "restart" | "reload"
  readonly change: (project: Project, at: Circumstances) => void | Promise<void>
  /** The position or reason that the command prints. */
  readonly tells: string | RegExp
}

export interface Circumstances {
  readonly takenPort: number
  /** Makes a later svc version with this migration. */
  readonly makeLater: (statement: string) => Promise<TestRuntime>
}

export const token = "a-token-of-the-trial-tests-0123456789"

/** The script that starts the Host, in place of the files of an installed svc. */
export const launcher = "start.mjs"

/** A migration of the plugin. `all` in the statement stands for its table. */
const migration = (name: string, sql: string) =>
  `{name: "${name}", irreversible: "it is a test", up: table => ["${sql}".replace("all", table("all"))]}`

const keeping = (...migrations: readonly string[]) =>
  pluginWith(`
    const {database} = plugin
    database.migrate([${migrations.join(", ")}])
    plugin.command("keep <text:text>", async ({args}) => {
      await database.write([{sql: "INSERT INTO " + database.table("all") + " (text) VALUES (?)", args: [args.text]}])
      return "kept"
    })`)

const first = migration("first", "CREATE TABLE all (text TEXT)")

export const goodConfig = `http: {port: 0, token: "\${HTTP_TOKEN}"}
plugins:
  sandbox: {}
  word: {}
  built: {}
  keeper: {}
`

/** Source of a plugin in the form that a build writes. */
export const builtWith = (setup: string) => `import {definePlugin} from "svc-runtime"
export default definePlugin({
  setup(plugin) {
    ${setup}
  },
})
`

/** Every file that a change may touch, with the content of a working project. */
export const goodFiles: Readonly<Record<string, string>> = {
  ".env": `HTTP_TOKEN=${token}\n`,
  "svc.config.yml": goodConfig,
  "package.json": JSON.stringify({name: "scratch-bot", type: "module", dependencies: {locked: "^1.0.0"}}),
  "package-lock.json": JSON.stringify({packages: {"node_modules/locked": {version: "1.2.3"}}}),
  "node_modules/locked/package.json": JSON.stringify({name: "locked", version: "1.2.3"}),
  "plugins/word.ts": replying("word", "one"),
  "plugins/keeper.ts": keeping(first),
  "dist/plugins/built.js": builtWith(`plugin.command("built", {description: "Built"}, () => "yes")`),
  [launcher]: `await import("${root}cli/launch.js")\n`,
}

const writing = (path: string, text: string) => (project: Project) => project.write(path, text)
const replacing = (path: string, from: string, to: string) => (project: Project) =>
  project.write(path, goodFiles[path]?.replace(from, to) ?? "")
const inConfig = (from: string, to: string) => replacing("svc.config.yml", from, to)
/** Writes a plugin with a setup that does not end, and shortens the trial's limit. */
const withoutEnd = (setup: string) => (project: Project) => {
  project.write("plugins/word.ts", pluginWith(setup))
  project.write(".env", `${goodFiles[".env"]}SVC_TRIAL_LIMIT=3\n`)
}

/** Blocks the thread as an endless loop does, without the processor. */
export const blocked = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)"

export const brokenChanges: readonly BrokenChange[] = [
  {
    name: "throw in setup",
    by: "restart",
    change: writing("plugins/word.ts", pluginWith(`throw new Error("no word today")`)),
    tells: /plugins\/word\.ts:9:\d+ .*no word today/,
  },
  {
    name: "throw in the setup of a built plugin",
    by: "reload",
    change: writing("dist/plugins/built.js", builtWith(`throw new Error("built wrong")`)),
    tells: /dist\/plugins\/built\.js:4:\d+ .*built wrong/,
  },
  {
    name: "throw at the top of a plugin",
    by: "restart",
    change: writing("plugins/word.ts", `throw new Error("at the top")`),
    tells: "at the top",
  },
  {
    name: "syntax error in a plugin",
    by: "restart",
    change: writing("plugins/word.ts", "export default {\n  setup( {\n"),
    tells: /plugins\/word\.ts:[23]:\d+/,
  },
  {
    name: "file that is not a plugin",
    by: "restart",
    change: writing("plugins/word.ts", "export default {}"),
    tells: "plugins/word.ts:1:1",
  },
  {
    name: "missing package that a plugin imports",
    by: "restart",
    change: writing("plugins/word.ts", `import "no-such-package"\n${replying("word", "two")}`),
    tells: "no-such-package",
  },
  {
    name: "dependency that is not installed",
    by: "restart",
    change: replacing("package.json", "locked", "not-there"),
    tells: "package.json:1:1 dependencies.not-there: is not installed",
  },
  {
    name: "lockfile of other versions than the installed ones",
    by: "reload",
    change: replacing("package-lock.json", "1.2.3", "1.3.0"),
    tells: "package-lock.json:1:1 locked: has version 1.3.0, but 1.2.3 is installed",
  },
  {
    name: "damaged lockfile",
    by: "reload",
    change: writing("package-lock.json", "<<<<<<< HEAD"),
    tells: "cannot read package-lock.json",
  },
  {
    name: "runtime that package.json does not allow",
    by: "restart",
    change: replacing("package.json", `"type"`, `"engines":{"node":">=99","bun":">=99"},"type"`),
    tells: /package\.json:1:1 engines\.(node|bun): requires ">=99"/,
  },
  {
    name: "setup that never ends",
    by: "restart",
    change: withoutEnd("return new Promise(() => {})"),
    tells: "the next start did not end within 3 s",
  },
  {
    name: "setup that blocks its thread forever",
    by: "restart",
    change: withoutEnd(blocked),
    tells: "the next start did not end within 3 s",
  },
  {
    name: "plugin that exits the process",
    by: "restart",
    change: writing("plugins/word.ts", pluginWith("process.exit(0)")),
    tells: "setup of plugins/word.ts failed: process.exit(0) was called",
  },
  {
    name: "plugin that is missing",
    by: "restart",
    change: inConfig("  word: {}", "  ghost: {}"),
    tells: "svc.config.yml:4:3 plugins.ghost",
  },
  {
    name: "key that the plugin does not know",
    by: "restart",
    change: inConfig("word: {}", "word: {config: {loud: true}}"),
    tells: /svc\.config\.yml:4:\d+ plugins\.word\.config\.loud: unknown key/,
  },
  {
    name: "unknown key",
    by: "restart",
    change: inConfig("http:", "htpt: {}\nhttp:"),
    tells: `svc.config.yml:1:1 htpt: unknown key (did you mean "http"?)`,
  },
  {
    name: "value of a wrong type",
    by: "restart",
    change: inConfig("port: 0", "port: many"),
    tells: "svc.config.yml:1:14 http.port",
  },
  {
    name: "configuration that is not YAML",
    by: "restart",
    change: inConfig("plugins:", "plugins: ["),
    tells: /svc\.config\.yml:\d+:\d+/,
  },
  {
    name: "unset variable",
    by: "restart",
    change: inConfig("plugins:", 'log_level: "${NOT_SET}"\nplugins:'),
    tells: /svc\.config\.yml:2:\d+ log_level: .*NOT_SET/,
  },
  {
    name: "secret removed from .env",
    by: "restart",
    change: writing(".env", "OTHER=1\n"),
    tells: /svc\.config\.yml:1:\d+ http\.token: .*HTTP_TOKEN/,
  },
  {
    name: "placeholder for a token",
    by: "restart",
    change: writing(".env", "HTTP_TOKEN=replace-me-with-a-long-random-token\n"),
    tells: "token_placeholder",
  },
  {
    name: "occupied port",
    by: "reload",
    change: (project, {takenPort}) => inConfig("port: 0", `port: ${takenPort}`)(project),
    tells: "is already in use by pid",
  },
  {
    name: "address of another machine",
    by: "reload",
    change: inConfig("port: 0", "port: 0, host: 192.0.2.1"),
    tells: "cannot listen on 192.0.2.1",
  },
  {
    name: "migration that fails on the data",
    by: "restart",
    change: writing("plugins/keeper.ts", keeping(first, migration("unique", "CREATE UNIQUE INDEX once ON all (text)"))),
    tells: "migration unique of plugin keeper",
  },
  {
    name: "plugin older than its tables",
    by: "restart",
    change: writing("plugins/keeper.ts", keeping(migration("other", "CREATE VIEW other AS SELECT 1"))),
    tells: "plugin_newer",
  },
  {
    name: "failing migration of svc itself",
    by: "restart",
    change: async (project, {makeLater}) => {
      const {command} = await makeLater("CREATE NONSENSE")
      project.write(launcher, `await import("${command[1]}")\n`)
    },
    tells: /NONSENSE|syntax error/,
  },
  {
    name: "half an upgrade of svc",
    by: "restart",
    change: writing(launcher, `await import("./not-unpacked-yet.js")\n`),
    tells: "not-unpacked-yet.js",
  },
  {
    name: "work items that the other store has",
    by: "reload",
    change: inConfig("plugins:", "workroom: {store: file}\nplugins:"),
    tells: "svc.config.yml:2:19 workroom.store: is file, but the work items are in the database store (1 records)",
  },
  {
    name: "missing database",
    by: "reload",
    change: inConfig("plugins:", "database: {dialect: sqlite, filename: data/other.sqlite}\nplugins:"),
    tells: "authority_mismatch",
  },
  {
    name: "damaged file of jobs",
    by: "restart",
    change: writing("data/schedule-jobs.json", "{"),
    tells: "schedule-jobs.json",
  },
  {
    name: "missing required endpoint",
    by: "restart",
    change: inConfig("port: 0", "port: 0, readiness: {endpoints: [{owner: root/sandbox, name: sandbox~nobody}]}"),
    tells: "endpoint sandbox~nobody",
  },
  {
    name: "too little memory for a trial",
    by: "restart",
    change: project => project.write(".env", `${goodFiles[".env"]}SVC_TRIAL_MEMORY=99999999\n`),
    tells: /a trial needs up to 99999999 MiB of memory, but only \d+ MiB are free/,
  },
]

export const mend = (project: Project): void => {
  rmSync(project.path("data/schedule-jobs.json"), {force: true})
  for (const [path, text] of Object.entries(goodFiles)) if (project.read(path) !== text) project.write(path, text)
}
