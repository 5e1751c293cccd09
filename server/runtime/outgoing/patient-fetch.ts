import type {Dispatcher as WholeDispatcher} from "undici"
import {fieldsOf} from "../../../shared/sdk/session/values.ts"

type Dispatcher = Pick<WholeDispatcher, "dispatch">

/** The runtime's `fetch` without its own limits, such as Node's 300 s without a byte: only the signal counts. */
export const patientFetch = (url: string | URL, init: RequestInit): Promise<Response> => {
  // Bun's own option: no limit.
  if (process.versions.bun !== undefined) return fetch(url, {...init, timeout: false} as RequestInit)
  const dispatcher = patientDispatcher()
  return fetch(url, (dispatcher === undefined ? init : {...init, dispatcher}) as RequestInit)
}

/** Returns the dispatcher of this process, with its proxy and its connections, but without limits. */
const patientDispatcher = (): Dispatcher | undefined => {
  // Node loads undici, which sets the dispatcher, when one of its classes is first used.
  void Headers
  const own: unknown = Reflect.get(globalThis, dispatcherKey())
  if (!isDispatcher(own)) return undefined
  return {dispatch: (options, handler) => own.dispatch({...options, headersTimeout: 0, bodyTimeout: 0}, handler)}
}

/** The key under which Node's undici keeps its dispatcher. The number is the version of its interface. */
export const dispatcherKey = (): symbol =>
  Symbol.for(`undici.globalDispatcher.${Number.parseInt(process.versions.undici ?? "", 10) >= 8 ? 2 : 1}`)

const isDispatcher = (value: unknown): value is Dispatcher => typeof fieldsOf(value).dispatch === "function"
