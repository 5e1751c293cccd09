import {hash} from "node:crypto"
import {verifyFiles} from "../../../../server/workroom/rebuild.ts"
import {FileStore} from "../../../../server/workroom/store/file-store.ts"
import type {Store} from "../../../../server/workroom/store/store.ts"
import {TableStore} from "../../../../server/workroom/store/table-store.ts"
import {Workroom} from "../../../../server/workroom/workroom.ts"
import {log} from "../../../support/host/silence.ts"
import {openScratch} from "../../measure/scratch.ts"
import {authority, Groups} from "./journal-requests.ts"

/**
 * Times opening and verifying a Journal in both stores, and the SHA-256 of the same texts alone. Prints one JSON value:
 * seconds, one sample per round. Arguments: rounds, records.
 */
const [rounds = 3, records = 100_000] = process.argv.slice(2).map(Number)

const {folder, database} = await openScratch()

const samples: Record<string, number[]> = {}

const timed = async <T>(name: string, run: () => Promise<T> | T): Promise<T> => {
  const begun = performance.now()
  const result = await run()
  samples[name] ??= []
  samples[name].push((performance.now() - begun) / 1000)
  return result
}

const fill = async (store: Store) => {
  const workroom = await Workroom.open({store, authority, log})
  const groups = new Groups(500)
  while (workroom.head.seq < records) await Promise.all(groups.next().map(request => workroom.run(request)))
  await workroom.close()
}

const makers: Readonly<Record<string, () => Store>> = {
  file: () => new FileStore({folder}),
  database: () => new TableStore(database),
}

for (const [name, make] of Object.entries(makers)) {
  await fill(make())
  for (let round = 0; round < rounds; round++) {
    const workroom = await timed(`${name}: open`, () => Workroom.open({store: make(), authority, log}))
    await timed(`${name}: verify`, () => workroom.verify())
    await workroom.close()
    if (name === "file") await timed("file: open and verify, stopped", () => verifyFiles(folder))
    const texts: string[] = []
    await make().read(1, records, text => texts.push(text))
    await timed(`${name}: SHA-256 alone`, () => {
      for (const text of texts) hash("sha256", text)
    })
  }
}
process.stdout.write(`${JSON.stringify(samples)}\n`)
process.exit(0)
