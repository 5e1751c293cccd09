import {isProblem, type Plugin} from "svc-runtime"

/** Logs an error for each setting that names an endpoint which does not exist. Call it in `onStart`. */
export const checkEndpoints = async (plugin: Plugin, named: Readonly<Record<string, string>>): Promise<void> => {
  // No platform has this method, so the Host only looks the endpoint up.
  for (const [setting, endpoint] of Object.entries(named))
    await plugin.ask(endpoint, "svc/none").catch((error: unknown) => {
      if (isProblem(error, "endpoint_unknown")) plugin.log.error(`${setting}: ${error.message}`)
    })
}
