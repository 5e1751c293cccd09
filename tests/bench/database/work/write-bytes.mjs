/** The control of a snapshot: writes a number of bytes to a file, then syncs it. Arguments: file, bytes. */
import {closeSync, fsyncSync, openSync, writeSync} from "node:fs"

const [path = "", bytes = "0"] = process.argv.slice(2)
const chunk = Buffer.alloc(64 * 1024, "svc")
const file = openSync(path, "w")
for (let left = Number(bytes); left > 0; left -= chunk.length) writeSync(file, chunk, 0, Math.min(chunk.length, left))
fsyncSync(file)
closeSync(file)
