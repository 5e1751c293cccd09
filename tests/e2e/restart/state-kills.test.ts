import {readdirSync} from "node:fs"
import {join} from "node:path"
import {build} from "esbuild"
import {expect, test} from "vitest"
import {killNumbers, mostCalls, steps} from "../../support/checkpoint/restore-kill-loop.ts"
import {makeFolder, nodeOf, onBun, root, scriptCommand, shared} from "../../support/host/host.ts"
import {need} from "../../support/machine/disk.ts"
import {needStrace, startToBeKilled} from "../../support/machine/strace.ts"
import {changes, prepareState} from "./change-state.ts"

/** A bundle starts in a third of the time of the source. */
const script = shared(async () => {
  const outfile = join(makeFolder(), "change.mjs")
  const entryPoints = [`${root}tests/e2e/restart/change-state.ts`]
  // For a library in CommonJS.
  const banner = {js: 'import {createRequire} from "node:module"; const require = createRequire(import.meta.url)'}
  await build({entryPoints, outfile, bundle: true, platform: "node", format: "esm", banner})
  return outfile
})

const countFiles = (folder: string) =>
  readdirSync(join(folder, ".svc"), {recursive: true}).filter(name => !/(^|\/)\./.test(String(name))).length

test.for(Object.entries(changes))(
  "a kill at any rename, fsync or removal leaves the old or the new state: %s",
  {timeout: 600_000},
  async ([name, {to, read}], context) => {
    needStrace(context)
    // Node makes its file calls on one thread. Bun uses several, and strace counts the calls of each thread separately.
    const runtime = nodeOf("node24")
    need(context, runtime !== onBun, "a Node")
    const folder = makeFolder()
    prepareState(folder)
    let number = 1
    await to(folder, number)
    const files = countFiles(folder)
    const found = new Set<string>()
    for (const calls of Object.values(steps)) {
      const outcomes: string[] = []
      for (const when of killNumbers()) {
        number += 2
        await to(folder, number - 1)
        const command = [...scriptCommand(runtime, script()), name, folder, String(number)]
        const {code, stderr} = await startToBeKilled(command, calls, when, folder).finished
        expect(when, `${name} never ends well: ${stderr}`).toBeLessThan(mostCalls)
        const isKilled = code !== 0
        const now = await read(folder)
        expect([number - 1, number]).toContain(now)
        outcomes.push(now === number ? "new" : "old")
        if (!isKilled) break
      }
      // The last process ran to its end. Once the new state is kept, it stays.
      expect(outcomes.at(-1)).toBe("new")
      expect(outcomes.toSorted().reverse()).toEqual(outcomes)
      for (const outcome of outcomes) found.add(outcome)
    }
    expect(found).toEqual(new Set(["old", "new"]))
    expect(countFiles(folder)).toBe(files)
  },
)
