import {writeSync} from "node:fs"
import {openDatabase} from "../../../server/database/database.ts"
import {FileStore} from "../../../server/workroom/store/file-store.ts"
import {TableStore} from "../../../server/workroom/store/table-store.ts"
import {Workroom} from "../../../server/workroom/workroom.ts"
import {log} from "../../support/database/databases.ts"
import {add, authority} from "../../support/workroom/requests.ts"

/** Adds items until it is killed, and prints each once acknowledged. Arguments: store, place, run, segment size. */
const [kind = "file", path = "", name = "", segmentSize = "4096"] = process.argv.slice(2)

const openStore = async () => {
  if (kind === "file") return new FileStore({folder: path, segmentSize: Number(segmentSize), catalogAfter: 20_000})
  const options = {runtimeId: "test", signal: new AbortController().signal, onLeaseLost: () => {}}
  return new TableStore(await openDatabase({dialect: "sqlite", file: path}, options))
}

const workroom = await Workroom.open({store: await openStore(), authority, log})

/** Writes synchronously and waits for a slow reader: otherwise the output could lack an acknowledged item. */
const print = (text: string): void => {
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

print("open\n")

const say = async (speaker: number) => {
  for (let n = 0; ; n++) {
    const title = `${name}.${speaker}.${n}`
    await workroom.run(add(title))
    print(`${title}\n`)
  }
}

await Promise.all([1, 2, 3].map(say))
