import {Option} from "clipanion"
import {rebuildStoppedWorkroom, verifyStoppedWorkroom} from "../../server/project/offline/workroom.ts"
import type {VerificationView} from "../../shared/api/workroom.ts"
import {connectUnlessStopped} from "../kit/host-client.ts"
import {counted} from "../kit/print.ts"
import {rowCommand} from "../kit/rows.ts"

export const verify = rowCommand({
  description: "verify the workroom's entire Journal, and that the Catalog matches it",
  details: `
    Checks every record's checksum, hash and place in the chain, then the Catalog byte for byte. A running Host checks its own store; if the Host is stopped, the command checks the files without changing them.

    With \`--rebuild\`, it verifies the Journal and writes the Catalog from it, for a Catalog that is lost or damaged. The Host must be stopped, because it has the Catalog in memory. The command refuses a damaged Journal. It keeps a replaced Catalog file beside the new one.
  `,
  examples: [
    ["With the Host running or stopped", "svc workroom verify"],
    ["As JSON", "svc workroom verify --json"],
    ["After it has found a damaged Catalog and an intact Journal", "svc workroom verify --rebuild"],
  ],
  options: {
    rebuild: Option.Boolean("--rebuild", false, {description: "Rebuild a stopped Host's Catalog from its Journal"}),
  },
  run: async given => {
    if (given.rebuild)
      return given.show((await rebuildStoppedWorkroom(given.folder)) ?? null, made => describe(made, "rebuilt"))
    const host = await connectUnlessStopped(given.folder)
    const found =
      host === undefined ? await verifyStoppedWorkroom(given.folder) : await host.post("/api/workroom/verify")
    given.show(found ?? null, store => describe(store, "sound"))
  },
})

const describe = (store: (VerificationView & {readonly torn?: number}) | null, outcome: string): string => {
  if (store === null) return "the workroom has never been used"
  const {seq, items, hash, torn = 0} = store
  const end = torn === 0 ? "" : `, then ${torn} bytes of a torn record, which the next start removes`
  const ends = `ends with ${hash.slice(0, 12)}${end}`
  return `${store.store} store, ${counted(seq, "record")}, ${counted(items, "item")}, ${ends}: ${outcome}`
}
