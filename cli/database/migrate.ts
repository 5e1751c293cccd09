import {Command, Option} from "clipanion"
import {migrateStopped, rehearseMigrations} from "../../server/offline/migrate.ts"
import type {MigrationReport} from "../../shared/api/database.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {bytes} from "../kit/bytes.ts"
import {CheckpointCommand} from "../kit/checkpoint/command.ts"
import {facts} from "../kit/print.ts"

export class DatabaseMigrate extends CheckpointCommand {
  static override paths = [["database", "migrate"]]
  static override usage = Command.Usage({
    description: "bring the database of a stopped project up to the schema of this version, or try that on a copy",
    details: `
      The next start does the same by itself. Before migrations that cannot be undone a checkpoint is made and verified; where that fails, nothing is changed.

      \`--dry-run\` migrates a copy in \`.svc/tmp\`, checks it and removes it: which migrations would run, whether each can be undone, how long they take, and what the database takes before and after. It works beside a running Host, too, and with a remote database, which is read into the copy; it writes nothing to the original.

      What a plugin does to its own tables is not tried here: it is declared by its setup, which runs with the next start, and with \`svc runtime start --once --mode test --from-checkpoint newest\`, which tries it on a copy.

      A remote database is saved by its own tool before: name that backup where a migration cannot be undone. Exits 1 where the migrated database is not sound.
    `,
    examples: [
      ["What an upgrade would do, beside the Host that runs", "svc database migrate --dry-run"],
      ["The same for a program", "svc database migrate --dry-run --json"],
      ["With the Host stopped", "svc database migrate"],
      ["A remote database, after its own backup", "svc database migrate --external-restore-point 2026-11-21T10:00:00Z"],
    ],
  })

  dryRun = Option.Boolean("--dry-run", false, {description: "Only try it, on a copy"})
  restorePoint = Option.String("--external-restore-point", {
    description: "Dialect libsql: the id of the backup that the database's own tool has made",
  })

  async run(): Promise<ExitCode> {
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
    this.show(done, () => describeMigration(done))
    return done.findings.length === 0 ? exit.ok : exit.failed
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
    ...migrations.map(
      ({version, name, undo, irreversible}) =>
        [
          String(version),
          irreversible === null ? `${name}, can be undone: ${undo}` : `${name}, CANNOT BE UNDONE: ${irreversible}`,
        ] as const,
    ),
    ...(checkpoint === null ? [] : [["checkpoint", `${checkpoint}, made and verified before`] as const]),
    ...describePlugins(done),
    ["checks", findings.length === 0 ? "integrity and foreign keys are sound" : findings.join("; ")],
    ["took", `${seconds.toFixed(3)} s`],
    ...(size === null ? [] : [["size", `${bytes(size.before)} before, ${bytes(size.after)} after`] as const]),
    ...(dryRun
      ? [["next", `svc runtime start, or svc database migrate${isSafe ? "" : ": a checkpoint is made first"}`] as const]
      : []),
  ])
}

/** What a plugin's code adds is declared by its setup, which nothing but a start runs. */
const describePlugins = ({plugins}: MigrationReport): readonly (readonly [string, string])[] => {
  if (plugins.length === 0) return []
  const have = plugins.map(({plugin, migrations}) => `${plugin} has ${migrations.join(", ")}`).join("; ")
  return [
    ["plugins", `${have}; what else their code brings is known once their setup has run`],
    ["", "svc runtime start --once --mode test --from-checkpoint newest tries that on a copy"],
  ]
}
