/**
 * Sends requests to this host directly from now on, whatever HTTP_PROXY says. For a Host on this machine, whose token
 * no proxy should see. Bun's `fetch` reads these variables at each request, Node's if NODE_USE_ENV_PROXY is set.
 */
export const bypassProxy = ({hostname}: URL): void => {
  const {env} = process
  const before = env.no_proxy ?? env.NO_PROXY ?? ""
  const host = hostname.replace(/^\[|\]$/g, "")
  if (before.split(",").includes(host)) return
  const list = before === "" ? host : `${before},${host}`
  env.no_proxy = list
  env.NO_PROXY = list
}

/** Does the name or address always mean this machine? */
export const isLoopback = ({hostname}: URL): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
