import {randomBytes} from "node:crypto"
import {openDatabase} from "../../../server/database/database.ts"
import {FileStore} from "../../../server/outbox/files/store.ts"

// Stores files until it is killed, and prints the hash of each once it is durable. Arguments: <database> <folder>.

const [, , file = "", folder = ""] = process.argv
const database = await openDatabase(
  {dialect: "sqlite", file},
  {runtimeId: "storing", signal: new AbortController().signal, onLeaseLost: () => {}},
)
const store = new FileStore({folder, database, quota: () => 1024 ** 3})
process.stdout.write("ready\n")
for (;;) {
  const content = Array.from({length: 4}, () => randomBytes(20_000))
  const pieces = async function* () {
    yield* content
  }
  const lease = store.lease()
  const {sha256} = await store.put({size: 80_000, pieces}, lease)
  process.stdout.write(`${sha256}\n`)
  lease.release()
}
