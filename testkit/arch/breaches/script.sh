#!/bin/sh
# An unquoted variable, which splits, and nothing that ends the script after a failed command.
folder=$1
rm -r $folder/old
