type Dispatch = (options: object, handler: unknown) => unknown
interface Dispatcher {
  readonly dispatch: Dispatch
}

/** What Node's `fetch` takes beside what is standard. */
interface PatientInit extends RequestInit {
  /** Of Node: who makes the connection. */
  readonly dispatcher?: Dispatcher
  /** Of Bun: false for no limit. */
  readonly timeout?: false
}

/**
 * The runtime's `fetch` without limits that the runtime sets by itself, such as the 300 s without a byte of Node's: the caller's signal
 * alone says how long it may take.
 */
export const patientFetch = (url: string | URL, init: RequestInit): Promise<Response> => {
  if (process.versions.bun !== undefined) return fetch(url, {...init, timeout: false} as PatientInit)
  const dispatcher = patientDispatcher()
  return fetch(url, (dispatcher === undefined ? init : {...init, dispatcher}) as RequestInit)
}

/** The dispatcher that this process uses anyway, with its proxy and its connections, asked for no limits. */
const patientDispatcher = (): Dispatcher | undefined => {
  // Node loads undici, which sets it, at the first use of one of its classes.
  void Headers
  const own: unknown = Reflect.get(globalThis, dispatcherKey())
  if (!isDispatcher(own)) return undefined
  return {dispatch: (options, handler) => own.dispatch({...options, headersTimeout: 0, bodyTimeout: 0}, handler)}
}

/** Where the undici inside of Node keeps it: the number is that of its interface. */
export const dispatcherKey = (): symbol =>
  Symbol.for(`undici.globalDispatcher.${Number.parseInt(process.versions.undici ?? "", 10) >= 8 ? 2 : 1}`)

const isDispatcher = (value: unknown): value is Dispatcher =>
  typeof value === "object" && value !== null && "dispatch" in value && typeof value.dispatch === "function"
