"""Runs the mail server of mail_servers.py as a process, with STARTTLS and AUTH. Prints each mail as a line of JSON."""

import json
import ssl
import sys

from mail_servers import MailServer

host, port, chain = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(chain)
with MailServer(context, host=host, port=int(port)) as server:
    while True:
        mail = server.mails.get()
        print(
            json.dumps({"to": mail.recipient, "mechanism": mail.mechanism, "content": mail.content.decode()}), flush=True)
