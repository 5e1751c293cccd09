/** The environment and the configuration of a Host with both tokens, the sandbox and further plugins. */
export const fullAndDemo = {
  env: {HTTP_TOKEN: "full-token-of-the-test", DEMO_TOKEN: "demo-token-of-the-test"},
  config: (
    ...plugins: readonly string[]
  ): string => `http: {port: 0, token: "\${HTTP_TOKEN}", demoToken: "\${DEMO_TOKEN}"}
plugins:
${["sandbox", ...plugins].map(name => `  ${name}: {}\n`).join("")}`,
} as const
