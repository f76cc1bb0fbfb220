import { tributary } from '../../../tributary.ts'

async function handle(request: Request): Promise<Response> {
  const service = await tributary()
  return (await service.fetch(request)) ?? new Response(null, { status: 404 })
}

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST, handle as PUT }
