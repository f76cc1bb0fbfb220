import { formatSessionCookie } from '@tributary/example-embed/signin'

export function GET(request: Request): Response {
  const name = new URL(request.url).searchParams.get('name') ?? ''
  return new Response('Signed in to the app.\n', { headers: { 'set-cookie': formatSessionCookie(name) } })
}
