import type {Answer} from "../../../shared/api/operations/client.ts"
import {until} from "../host/process.ts"
import type {TestHost} from "../host/test-host.ts"

export type EndpointView = Answer<"GET", "/api/endpoints">["items"][number]

export const endpointsOf = async (host: Pick<TestHost, "get">): Promise<readonly EndpointView[]> =>
  (await host.get("/api/endpoints")).items

export const endpointOf = async (host: Pick<TestHost, "get">, name: string): Promise<EndpointView> => {
  const found = (await endpointsOf(host)).find(each => each.name === name)
  if (found === undefined) throw new Error(`there is no endpoint ${name}`)
  return found
}

export const untilState = async (
  host: TestHost,
  name: string,
  state: string,
  patience?: number,
): Promise<EndpointView> => {
  let last: EndpointView | undefined
  const find = async () => {
    last = await endpointOf(host, name)
    return last.state === state && last
  }
  return until(`${name} to be ${state}`, find, patience).catch(error => {
    throw new Error(`${error.message}; it is ${JSON.stringify(last)}\n${host.process.output().slice(-3000)}`)
  })
}

export const untilOnline = (host: TestHost): Promise<unknown> =>
  until("every endpoint to be online", async () => {
    const endpoints = await endpointsOf(host)
    return endpoints.length > 0 && endpoints.every(({state}) => state === "online")
  })
