import {createInterface} from "node:readline/promises"
import {fromJson, toJson} from "../../../shared/json.ts"
import {messageOf} from "../../../shared/problems.ts"
import {CheckpointStore} from "../checkpoint/store.ts"
import {verifyCheckpoint} from "./verify.ts"
import type {VerifyRequest} from "./verify-apart.ts"

/**
 * A separate process that verifies a checkpoint, so that the Host is not blocked. It reads its request, with the values of the
 * secrets, from one line of standard input, then prints progress and the result, one JSON value per line.
 */
const print = (value: object) => void process.stdout.write(`${toJson(value)}\n`)

const input = createInterface({input: process.stdin})
const {value} = await input[Symbol.asyncIterator]().next()
input.close()

try {
  // Its Host wrote it.
  const {root, id, temporary, secrets} = fromJson(String(value)) as VerifyRequest
  const checkpoint = await new CheckpointStore(root).get(id)
  let last = 0
  const progress = (step: string, done: number, total: number) => {
    if (Date.now() - last < 100 && done < total) return
    last = Date.now()
    print({progress: [step, done, total]})
  }
  print({verification: await verifyCheckpoint(checkpoint, {temporary, secrets, progress})})
} catch (error) {
  print({failure: messageOf(error)})
}
