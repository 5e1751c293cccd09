import type {TestHost} from "../../host/host.ts"
import {until} from "../../host/process.ts"

/** An event in the inbox of the Host under test. */
export interface Stored {
  readonly type: string
  readonly channel?: {readonly id: string; readonly type: number}
  readonly user?: {readonly id: string; readonly nick?: string}
  readonly message?: {readonly id: string; readonly content: string}
  readonly emoji?: {readonly id: string}
  readonly login: {readonly platform: string}
}

interface Page {
  readonly items: readonly {readonly endpoint: string; readonly event: Stored}[]
  readonly next: string | null
}

/** The stored events of an endpoint, oldest first. */
export const storedBy = async (host: TestHost, endpoint: string): Promise<readonly Stored[]> => {
  const items: Page["items"][number][] = []
  for (let next: string | null = ""; next !== null; ) {
    const cursor: string = next === "" ? "" : `&cursor=${encodeURIComponent(next)}`
    const page: Page = await host.get<Page>(`/api/inbox?limit=500${cursor}`)
    items.push(...page.items)
    next = page.next
  }
  return items
    .filter(each => each.endpoint === endpoint)
    .map(({event}) => event)
    .reverse()
}

/** The texts of its messages, oldest first. */
export const textsBy = async (host: TestHost, endpoint: string): Promise<readonly string[]> =>
  (await storedBy(host, endpoint)).flatMap(({type, message}) =>
    type === "message-created" && message !== undefined ? [message.content] : [],
  )

export interface EndpointView {
  readonly name: string
  readonly state: string
  readonly reason?: string
  readonly error?: string
  readonly remediation?: string
  readonly features: readonly string[]
}

export const endpointOf = async (host: TestHost, name: string): Promise<EndpointView> => {
  const {items} = await host.get<{items: readonly EndpointView[]}>("/api/endpoints")
  const found = items.find(each => each.name === name)
  if (found === undefined) throw new Error(`there is no endpoint ${name}`)
  return found
}

export const untilState = async (host: TestHost, name: string, state: string): Promise<EndpointView> => {
  let last: EndpointView | undefined
  return until(`${name} to be ${state}`, async () => {
    last = await endpointOf(host, name)
    return last.state === state && last
  }).catch(error => {
    throw new Error(`${error.message}; it is ${JSON.stringify(last)}`)
  })
}
