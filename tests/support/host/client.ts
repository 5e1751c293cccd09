import {type Client, createClient} from "../../../shared/api/operations/client.ts"

/** Calls a Host with a token. Everything but `fetch` throws for an answer other than 2xx. */
export interface HostClient extends Client<never> {
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Calls a route that is none of the API's operations, such as a plugin's or Satori's. Posts the body, if any. */
  plugin<T>(path: string, body?: unknown): Promise<T>
}

export const posting = (body: unknown = {}, headers: Readonly<Record<string, string>> = {}) => ({
  method: "POST",
  headers: {"content-type": "application/json", ...headers},
  body: JSON.stringify(body),
})

export const clientAt = (url: string, token: string): HostClient => {
  const fetchPath = (path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, {...init, headers: {authorization: `Bearer ${token}`, ...init.headers}})
  const send = async (path: string, init?: RequestInit) => {
    const response = await fetchPath(path, init)
    const text = await response.text()
    if (!response.ok) throw new Error(`${response.status} ${text}`)
    return JSON.parse(text)
  }
  return {
    ...createClient<never>((method, path, body) => send(path, method === "GET" ? {} : posting(body))),
    fetch: fetchPath,
    plugin: (path, body) => send(path, body === undefined ? {} : posting(body)),
  }
}
