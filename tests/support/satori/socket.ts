/** Node and Bun accept headers as an option that the browser's type does not have. */
const Client = WebSocket as unknown as new (url: string, options: {headers: object}) => WebSocket

export const socketWith = (url: string, headers: Readonly<Record<string, string>> = {}): WebSocket =>
  new Client(url, {headers})
