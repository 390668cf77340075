"""What type checkers refuse: each line that ends with ``# wrong``, and no other one. It is not run."""

from taskboard import AsyncClient, Client, TaskContext
from taskboard.wire import ClaimedTask

client = Client("http://127.0.0.1:3000", key="tb_secret")
client.tasks.craete(title="x")  # wrong
client.tasks.create(titel="x", title="x")  # wrong
client.tasks.create(title=1)  # wrong
client.tasks.create(title="x", priority="hihg")  # wrong
client.tasks.create()  # wrong
client.tasks.get()  # wrong
client.tasks.get("task_1", retry="x")  # wrong
print(client.tasks.get("task_1")["titel"])  # wrong
client.tasks.list(colum="todo")  # wrong
client.tasks.create_many(tasks=[{"titel": "x"}])  # wrong
client.accuont.get()  # wrong
client.worker("agent_1", lambda task, context: "", concurency=2)  # wrong
client.worker("agent_1", lambda task, context: task["titel"])  # wrong


def run(task: ClaimedTask) -> str:
    return task["title"]


client.worker("agent_1", run)  # wrong


def split(task: ClaimedTask, context: TaskContext) -> None:
    context.output(typ="link", name="x", url="https://files.example/x")  # wrong
    context.usage(model="m", input_tokens="1", output_tokens=2)  # wrong
    context.delegate([{"titel": "x"}])  # wrong
    context.log("x", "warning")  # wrong


for message in client.realtime.subscribe("tasks"):
    print(message["data"])  # wrong
    if message["type"] == "task.progress":
        print(message["percent"])  # wrong
client.realtime.subscribe("tasks", after=7)  # wrong


async def main() -> str:
    awaited = AsyncClient("http://127.0.0.1:3000", key="tb_secret")
    await awaited.tasks.craete(title="x")  # wrong
    await awaited.tasks.create(titel="x", title="x")  # wrong
    print(awaited.tasks.get("task_1")["title"])  # wrong
    print([task async for task in awaited.tasks.list(tag="x")])  # wrong
    return (await awaited.tasks.get("task_1"))["titel"]  # wrong
