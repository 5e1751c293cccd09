import {chmodSync} from "node:fs"
import {type GitProject, makeGitProject} from "./git-project.ts"
import {pluginWith} from "./plugin-sources.ts"
import {plainConfig} from "./project.ts"

/** Answers with its version, and keeps what was said in a table of its own. */
const notes = (version: string, migrations: string, insert: string) =>
  pluginWith(`
    const table = plugin.database.table("notes")
    plugin.database.migrate([${migrations}])
    plugin.on("message-created", async session => {
      session.database.write([${insert}])
      return "${version} " + session.text
    })`)

const first = `{name: "notes", up: table => ["CREATE TABLE " + table("notes") + " (text TEXT NOT NULL)"]}`

const second = `{name: "length", up: table => ["ALTER TABLE " + table("notes") + " ADD COLUMN length INTEGER NOT NULL DEFAULT 0"]}`

export const versions = {
  one: {
    plugin: notes("one", first, '{sql: "INSERT INTO " + table + " (text) VALUES (?)", args: [session.text]}'),
    config: `${plainConfig}  notes: {}\n`,
    lockfile: "locked: one",
  },
  two: {
    plugin: notes(
      "two",
      `${first}, ${second}`,
      '{sql: "INSERT INTO " + table + " (text, length) VALUES (?, ?)", args: [session.text, session.text.length]}',
    ),
    config: `${plainConfig}  notes: {}\nlog_level: debug\n`,
    lockfile: "locked: two",
  },
} as const

/** A project at its first version; `upgrade` commits the second, which changes schema, configuration, lockfile and files. */
export const makeUpgradable = (): {project: GitProject; upgrade(): string} => {
  const {one, two} = versions
  const project = makeGitProject({
    config: one.config,
    plugins: {notes: one.plugin},
    files: {"bun.lock": one.lockfile, "text/only/in-one.txt": "one", "text/swap": "a file", "run.sh": "#!/bin/sh\n"},
  })
  return {
    project,
    upgrade: () => {
      project.git("rm", "--quiet", "-r", "text/only", "text/swap")
      project.write("plugins/notes.ts", two.plugin)
      project.write("svc.config.yml", two.config)
      project.write("bun.lock", two.lockfile)
      project.write("text/swap/now-a-folder.txt", "two")
      chmodSync(project.path("run.sh"), 0o755)
      return project.commit("the second version")
    },
  }
}
