import {createInterface} from "node:readline"
import {fromJson, toJson} from "../../shared/json.ts"
import {messageOf, Problem} from "../../shared/problems.ts"
import {type CompleteRequest, completeCheckpoint, type FileToCopy} from "./checkpoint/complete.ts"
import {CheckpointStore} from "./checkpoint/store.ts"
import type {VerifyRequest} from "./verify/verify.ts"

type Request = ({readonly task: "complete"} & CompleteRequest) | ({readonly task: "verify"} & VerifyRequest)

/**
 * The child process of `doApart`. It reads its request, with the values of the secrets, from one line of standard input, then
 * prints progress and the answer, one JSON value per line. It ends when its parent does.
 */
const print = (value: object) => void process.stdout.write(`${toJson(value)}\n`)

const input = createInterface({input: process.stdin}).once("close", () => process.exit(1))
const lines = input[Symbol.asyncIterator]()
const readLine = async (): Promise<string> => String((await lines.next()).value)

let last = 0
const progress = (step: string, done: number, total: number) => {
  if (Date.now() - last < 100 && done < total) return
  last = Date.now()
  print({progress: [step, done, total]})
}

async function* batches(): AsyncGenerator<readonly FileToCopy[]> {
  for (;;) {
    print({more: true})
    // Its Host wrote it.
    const batch = fromJson(await readLine()) as readonly FileToCopy[]
    if (batch.length === 0) return
    yield batch
  }
}

const work = async (request: Request): Promise<object> => {
  if (request.task === "complete") return completeCheckpoint(request, batches(), progress)
  const {root, id, temporary, secrets} = request
  // Loaded only here.
  const {verifyCheckpoint} = await import("./verify/verify.ts")
  return verifyCheckpoint(await new CheckpointStore(root).get(id), {temporary, secrets, progress})
}

try {
  // Its Host wrote it.
  print({answer: await work(fromJson(await readLine()) as Request)})
} catch (error) {
  print({failure: error instanceof Problem ? [error.message, error.code, error.hint] : [messageOf(error)]})
}
input.removeAllListeners("close").close()
