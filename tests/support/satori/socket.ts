/** Node and Bun take headers as an option of their own, which the browser's type does not have. */
const Client = WebSocket as unknown as new (url: string, options: {headers: object}) => WebSocket

export const socketWith = (url: string, headers: Readonly<Record<string, string>> = {}): WebSocket =>
  new Client(url, {headers})
