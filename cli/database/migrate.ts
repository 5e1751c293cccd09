import {Command, Option} from "clipanion"
import {migrateStopped, rehearseMigrations} from "../../server/project/offline/migrate.ts"
import type {MigrationReport} from "../../shared/api/database.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"
import {bytes, type Facts, facts} from "../kit/print.ts"
import {restorePoint} from "../kit/stoppable-command.ts"

export class DatabaseMigrate extends CheckpointCommand {
  static override usage = Command.Usage({
    description: "migrate the database of a stopped project to this version's schema, or a copy of it",
    details: `
      The next start of the Host would migrate it too. Before migrations that cannot be undone, the command creates and verifies a checkpoint; if that fails, it changes nothing.

      \`--dry-run\` migrates a copy in \`.svc/tmp\`, checks it and deletes it. It prints the migrations, whether each can be undone, how long they take, and the size before and after. It never writes to the original, so it also works beside a running Host, and with a remote database, which it reads into the copy.

      Migrations of plugins are not tried here: a plugin declares them in its setup, which runs at the next start. \`svc runtime start --once --mode test --from-checkpoint newest\` tries them on a copy.

      Back up a remote database with its own tool first, and name that backup if a migration cannot be undone. Exits 1 if the migrated database is damaged.
    `,
    examples: [
      ["Try an upgrade beside the running Host", "svc database migrate --dry-run"],
      ["The same, as JSON", "svc database migrate --dry-run --json"],
      ["With the Host stopped", "svc database migrate"],
      ["A remote database, after its own backup", "svc database migrate --external-restore-point 2026-11-21T10:00:00Z"],
    ],
  })

  dryRun = Option.Boolean("--dry-run", false, {description: "Migrate only a copy"})
  restorePoint = restorePoint

  async run(): Promise<boolean> {
    const done = this.dryRun
      ? await this.withProgress(async progress =>
          rehearseMigrations(this.stopped, (await this.host()) !== undefined, progress),
        )
      : await this.withProgress(progress =>
          migrateStopped(this.stopped, {
            signal: new AbortController().signal,
            restorePoint: this.restorePoint,
            progress,
          }),
        )
    this.show(done, describeMigration)
    return done.findings.length === 0
  }
}

const describeMigration = (done: MigrationReport): string => {
  const {dryRun, from, to, migrations, plugins, checkpoint, findings, seconds, size} = done
  if (migrations.length === 0)
    return [`schema ${from}: nothing to migrate`, ...(plugins.length === 0 ? [] : [facts(describePlugins(done))])].join(
      "\n",
    )
  const isSafe = migrations.every(({irreversible}) => irreversible === null)
  return facts([
    [dryRun ? "would migrate" : "migrated", `from schema ${from} to ${to}${dryRun ? ", tried on a copy" : ""}`],
    ...migrations.map(({version, name, undo, irreversible}) => {
      const how = irreversible === null ? `can be undone: ${undo}` : `CANNOT BE UNDONE: ${irreversible}`
      return [String(version), `${name}, ${how}`] as const
    }),
    ["checkpoint", checkpoint && `${checkpoint}, created and verified before`],
    ...describePlugins(done),
    ["checks", findings.length === 0 ? "integrity and foreign keys are sound" : findings.join("; ")],
    ["took", `${seconds.toFixed(3)} s`],
    ["size", size && `${bytes(size.before)} before, ${bytes(size.after)} after`],
    ["next", dryRun ? `svc runtime start, or svc database migrate${isSafe ? "" : "; both make a checkpoint"}` : null],
  ])
}

/** A plugin declares its migrations in its setup, and only a start runs that. */
const describePlugins = ({plugins}: MigrationReport): Facts => {
  if (plugins.length === 0) return []
  const have = plugins.map(({plugin, migrations}) => `${plugin} has ${migrations.join(", ")}`).join("; ")
  return [
    ["plugins", `${have}; further migrations in their code are known once their setup has run`],
    ["", "svc runtime start --once --mode test --from-checkpoint newest tries them on a copy"],
  ]
}
