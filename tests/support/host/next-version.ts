import {execFileSync} from "node:child_process"
import {cpSync, readFileSync, symlinkSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {bundleForNode} from "../../../scripts/build/bundle-for-node.ts"
import {type Migration, migrations} from "../../../server/database/migrations/migrations.ts"
import {makeFolder} from "./project.ts"
import {onBun, root, type TestRuntime} from "./runtimes.ts"

export const newest = migrations.at(-1)?.version ?? 0

/** Deletes what the database knows about deliveries to the platforms. */
export const irreversible: Migration = {
  version: newest + 1,
  name: "forget-platform-ids",
  irreversible: "the ids that platforms gave to messages are dropped",
  statements: ["UPDATE outbox SET platform_ids = NULL"],
}

export const reversible: Migration = {
  version: newest + 2,
  name: "more",
  undo: "drop more",
  statements: ["CREATE TABLE more (id INTEGER PRIMARY KEY)"],
}

/** svc as its next version could be: the source with further migrations, bundled for Node. */
export const makeNextVersion = async (
  runtime: TestRuntime,
  further: readonly Migration[] = [irreversible, reversible],
): Promise<TestRuntime> => {
  const folder = makeFolder()
  for (const part of ["cli", "server", "shared", "package.json"]) {
    cpSync(join(root, part), join(folder, part), {recursive: true, filter: path => !path.includes("/node_modules")})
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  const file = join(folder, "server/database/migrations/migrations.ts")
  const source = readFileSync(file, "utf8")
  const end = source.lastIndexOf("\n]\n")
  const added = further.map(migration => `  ${JSON.stringify(migration)},\n`).join("")
  writeFileSync(file, `${source.slice(0, end + 1)}${added}${source.slice(end + 1)}`)
  if (runtime !== onBun) await bundleForNode(folder, join(folder, "dist"))
  return {...runtime, command: [runtime.command[0] ?? "", join(folder, "cli/launch.js")]}
}

/** Bundles a next version for Bun too: its source starts in twice the time. */
export const bundled = (next: TestRuntime): TestRuntime => {
  const [bun = "", launcher = ""] = next.command
  const build = `const {bunBundle, shipped} = await import("${root}scripts/build/bundles.ts")
    await Bun.build({entrypoints: shipped, ...bunBundle, outdir: "dist/bun"})`
  execFileSync(bun, ["-e", build], {cwd: join(launcher, "../.."), stdio: "pipe"})
  return next
}
