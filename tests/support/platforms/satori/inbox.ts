import type {TestHost} from "../../host/host.ts"

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
