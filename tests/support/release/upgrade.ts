import {chmodSync} from "node:fs"
import {type GitProject, makeGitProject} from "../host/git-project.ts"
import {plainConfig} from "../host/project.ts"
import {root, type TestRuntime} from "../host/runtimes.ts"
import {pluginWith} from "../plugins/plugin-sources.ts"

/** Answers with its version, and stores what was said in its own table. */
const notes = (version: string, migrations: string, insert: string) =>
  pluginWith(`
    const table = plugin.database.table("notes")
    plugin.database.migrate([${migrations}])
    plugin.route({
      method: "GET", path: "/version", scope: "demo", summary: "Which version runs",
      handle: () => Response.json({version: "${version}"}),
    })
    plugin.on("message-created", async session => {
      session.database.write([${insert}])
      return "${version} " + session.text
    })`)

const first = `{name: "notes", up: table => ["CREATE TABLE " + table("notes") + " (text TEXT NOT NULL)"]}`

const second = `{name: "length", up: table => ["ALTER TABLE " + table("notes") + " ADD COLUMN length INTEGER NOT NULL DEFAULT 0"]}`

const packages = ["greeting", "farewell"] as const

type Package = (typeof packages)[number]

const placeOf = (name: Package) => `./vendor/${name}`

/** In Bun's format; the packages come from the project itself. */
const lockfileOf = (names: readonly Package[]) => `{
  "lockfileVersion": 1,
  "configVersion": 1,
  "workspaces": {
    "": {
      "name": "scratch-bot",
      "dependencies": {
${[...names]
  .sort()
  .map(name => `        "${name}": "file:${placeOf(name)}",\n`)
  .join("")}      },
    },
  },
  "packages": {
${[...names]
  .sort()
  .map(name => `    "${name}": ["${name}@file:vendor/${name}", {}],\n`)
  .join("\n")}  }
}
`

/** The package files of a project with dependencies and scripts. */
export const packageFiles = (
  scripts: Readonly<Record<string, string>>,
  names: readonly Package[] = ["greeting"],
): Readonly<Record<string, string>> => ({
  "package.json": `${JSON.stringify({
    name: "scratch-bot",
    type: "module",
    scripts,
    dependencies: Object.fromEntries(names.map(name => [name, `file:${placeOf(name)}`])),
  })}\n`,
  "bun.lock": lockfileOf(names),
  ...Object.fromEntries(
    packages.map(name => [`vendor/${name}/package.json`, JSON.stringify({name, version: "1.0.0"})]),
  ),
})

/** The tests of the second version need its build, and a package that only its lockfile has. */
const scriptsWith = (build: string, after: Readonly<Record<string, string>>) => ({
  one: {...after, build: `${build}echo one > built.txt`, test: "test -f built.txt -a -d node_modules/greeting"},
  two: {...after, build: `${build}echo two > built.txt`, test: "test -f built.txt -a -d node_modules/farewell"},
})

export const versions = {
  one: {
    plugin: notes("one", first, '{sql: "INSERT INTO " + table + " (text) VALUES (?)", args: [session.text]}'),
    config: `${plainConfig}  notes: {}\n`,
    lockfile: lockfileOf(["greeting"]),
  },
  two: {
    plugin: notes(
      "two",
      `${first}, ${second}`,
      '{sql: "INSERT INTO " + table + " (text, length) VALUES (?, ?)", args: [session.text, session.text.length]}',
    ),
    config: `${plainConfig}  notes: {}\nlog_level: debug\n`,
    lockfile: lockfileOf(["greeting", "farewell"]),
  },
} as const

/** A project at its first version. `upgrade` brings branch `next`, which differs in everything, into the work tree. */
export const makeUpgradable = (
  /** Changes the configuration of both versions. */
  change: (config: string) => string = config => config,
  /** The runtime on which the build script runs `svc build`; without one, plugins run from source. */
  builder?: Pick<TestRuntime, "command">,
  /** The path of svc for the project. */
  place = root,
): {project: GitProject; next: string; upgrade(): string} => {
  const {one, two} = versions
  // A real project has svc as a package; here it is this repository.
  const withSvc = {postinstall: `ln -sfn ${place} node_modules/svc-runtime`}
  const scripts =
    builder === undefined ? scriptsWith("", {}) : scriptsWith(`${builder.command.join(" ")} build && `, withSvc)
  const project = makeGitProject({
    config: change(one.config),
    plugins: {notes: one.plugin},
    files: {
      ".gitignore": "node_modules\n.svc\ndata\ndist\n.env\nbuilt.txt\n",
      ...packageFiles(scripts.one),
      "text/only/in-one.txt": "one",
      "text/swap": "a file",
      "run.sh": "#!/bin/sh\n",
    },
  })
  project.git("switch", "--quiet", "--create", "next")
  project.git("rm", "--quiet", "-r", "text/only", "text/swap")
  project.write("plugins/notes.ts", two.plugin)
  project.write("svc.config.yml", change(two.config))
  for (const [path, text] of Object.entries(packageFiles(scripts.two, ["greeting", "farewell"])))
    project.write(path, text)
  project.write("text/swap/now-a-folder.txt", "two")
  chmodSync(project.path("run.sh"), 0o755)
  const next = project.commit("the second version")
  project.git("switch", "--quiet", "main")
  return {
    project,
    next,
    upgrade: () => {
      project.git("merge", "--quiet", "--ff-only", "next")
      return next
    },
  }
}
