/** The environment variables with which this machine reaches its package registry. */
export const registryEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(process.env).filter((entry): entry is [string, string] =>
    /^(npm_config_registry|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|BUN_CONFIG_\w+|\w+_proxy)$/i.test(entry[0]),
  ),
)
