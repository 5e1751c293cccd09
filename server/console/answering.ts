import type {Call, Operation} from "../../shared/sdk/route.ts"
import type {Static, TSchema} from "../../shared/type.ts"

/** A request whose body has passed the operation's schema. */
interface Asked<B extends TSchema> extends Pick<Call, "params"> {
  readonly body: Static<B>
  readonly call: Call
}

interface Answering<B extends TSchema, A extends TSchema, P extends readonly unknown[]>
  extends Pick<Operation, "summary" | "problems"> {
  readonly body: B
  /** The schema of the answer. */
  readonly answer: A
  /** The status of the answer (default: 200). */
  readonly status?: number
  /** Does the work with the parts of the Host that it needs, and returns the answer. */
  run(asked: Asked<B>, ...parts: P): Static<A> | Promise<Static<A>>
}

/** Returns, for parts of the Host, an operation that reads a JSON body and answers with one value. */
export const answering =
  <B extends TSchema, A extends TSchema, P extends readonly unknown[]>(operation: Answering<B, A, P>) =>
  (...parts: P): Operation => {
    const {answer, status = 200, run, ...about} = operation
    const handle = async (_: Request, call: Call) => {
      const body = (await call.body()) as Static<B>
      return call.json(answer, await run({params: call.params, body, call}, ...parts), {status})
    }
    return {...about, response: {[status]: answer}, handle}
  }
